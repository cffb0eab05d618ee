/** What is used of WebAssembly: Node has it, the types of the language alone do not. */
declare namespace WebAssembly {
  class Module {
    constructor(binary: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: object);
    readonly exports: object;
  }
  class RuntimeError extends Error {}
  type Memory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
}
