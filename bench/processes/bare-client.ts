import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

/**
 * The client of `clients/bare.ts`. Posts one constant body over Node's sockets, plain or TLS, and the next one as soon as an answer
 * arrives. The sink's answers arrive in one piece. An answer other than a success ends the client.
 */
const [url = '', file = '', connections, seconds] = process.argv.slice(2);
const { protocol, host, hostname, port, pathname } = new URL(url);
const body = readFileSync(file);
const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
const request = Buffer.concat([Buffer.from(head), body]);
const answer = Buffer.alloc(1 << 16);

for (let n = 0; n < Number(connections); n++) {
  const next = (): boolean => {
    if (answer.toString('latin1', 0, 10) !== 'HTTP/1.1 2') throw new Error('a request was refused');
    socket.write(request);
    return true;
  };
  const options = { host: hostname, port: Number(port), noDelay: true, onread: { buffer: answer, callback: next } };
  const isSecure = protocol === 'https:';
  const socket = isSecure ? connectTls({ ...options, rejectUnauthorized: false }) : connect(options);
  socket.once(isSecure ? 'secureConnect' : 'connect', () => socket.write(request));
}
setTimeout(() => process.exit(), Number(seconds) * 1000);
