/**
 * Modules of Node's whose `import` evaluates everything that they export, each time a thread starts: a client for WebSockets
 * (45 ms) and the text of all root certificates (17 ms), which Muster does not use.
 */
export const nodeHttp = process.getBuiltinModule('node:http');
export const nodeTls = process.getBuiltinModule('node:tls');

/** Loaded when figures go to a receiver over TLS. */
export const loadHttps = () => process.getBuiltinModule('node:https');

/** Loaded when a server has chosen HTTP/2, which few do. */
export const loadHttp2 = () => process.getBuiltinModule('node:http2');
