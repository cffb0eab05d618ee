/** The part of WebAssembly in use. Node has it, but the types of the language lack it. */
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
