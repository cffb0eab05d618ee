/**
 * Node modules whose `import` evaluates all their exports each time a thread starts. These include a WebSocket client (45 ms) and the text
 * of all root certificates (17 ms), which Muster does not use.
 */
export const nodeHttp = process.getBuiltinModule('node:http');
export const nodeTls = process.getBuiltinModule('node:tls');

/** Loaded when a server selects HTTP/2, which few do. */
export const loadHttp2 = () => process.getBuiltinModule('node:http2');
