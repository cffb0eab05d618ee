import { parentPort, workerData } from 'node:worker_threads';
import { renderedHashes } from './rendered-hashes.ts';

parentPort?.postMessage(renderedHashes(workerData));
