// The other side of bench/runtime: what Node does by itself, with nothing of a daemon around it. Plain JavaScript, so
// that its start is that of Node alone. Usage: bare-server.mjs HTTP_PORT [SOCKET_PORT]
import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { pipeline } from 'node:stream';

const [httpPort, socketPort] = process.argv.slice(2).map(Number);

createServer((request, response) => {
  if (request.url === '/health') return response.writeHead(204).end();
  const file = decodeURIComponent(request.url.slice('/file/'.length));
  if (request.method === 'GET') return pipeline(createReadStream(file), response, () => undefined);
  pipeline(request, createWriteStream(file), (error) => response.writeHead(error ? 500 : 200).end('{}'));
}).listen(httpPort, '127.0.0.1');

// The client sends one line, a JSON array of argv; the output of that command is all that it gets.
if (socketPort !== undefined) {
  createSocketServer((socket) => {
    socket.once('data', (line) => {
      const [command, ...args] = JSON.parse(line.toString());
      spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] }).stdout.pipe(socket);
    });
  }).listen(socketPort, '127.0.0.1');
}
