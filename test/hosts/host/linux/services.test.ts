import { describe, expect, it } from 'vitest';
import { servicesOf } from '../../../../src/hosts/host/linux/services.ts';

const HEADER =
  'unit\tkind\tdescription\tuser\tmemory_mib\tvirtual_mib\twork\tnice\tplace\tchance\tfrom\tto\tper_core\tper_gib\tmost\tcommand';
const MAIN = 'httpd\tmain\tWeb server\troot\t9\t12\t0\t0\tmetal\tweb\t0.25\t0.5\t\t\t\t/usr/bin/httpd';
const CHILD = '\tchild\t\thttp\t4\t12\t0.1\t0\t\t\t\t\t\t\t\thttpd: logs';
const POOL = '\tpool\t\thttp\t5\t12\t0.2\t-5\t\t\t\t\t2\t\t40\thttpd: worker {i}';

const read = (...rows: string[]) => servicesOf({ 'services/mine.tsv': [HEADER, ...rows, ''].join('\n') }, 'mine');

describe('a table of services', () => {
  it('defines what hosts start, with the child processes of each service', () => {
    const daemon = { virtualMib: 12, nice: 0 };
    const always = { lasting: 'always' } as const;
    const logs = { user: 'http', command: 'httpd: logs', memoryMib: 4, work: 0.1, pool: undefined };
    const child = { ...daemon, ...logs, ...always };
    const pool = { perCore: 2, perGib: Number.POSITIVE_INFINITY, most: 40 };
    const worker = {
      user: 'http',
      command: 'httpd: worker {i}',
      memoryMib: 5,
      virtualMib: 12,
      work: 0.2,
      nice: -5,
      pool,
      ...always,
    };
    expect(read(MAIN, CHILD, POOL, POOL.replace('pool', 'jobs'))).toEqual([
      {
        ...daemon,
        user: 'root',
        command: '/usr/bin/httpd',
        memoryMib: 9,
        work: 0,
        unit: { name: 'httpd.service', description: 'Web server' },
        on: 'metal',
        draw: { name: 'web', from: 0.25, to: 0.5 },
        children: [child, worker, { ...worker, lasting: 'job' }],
      },
    ]);
  });

  it('uses the name of a unit as the name of its draw by default, and has no draw without an end', () => {
    const [own, all] = read(MAIN.replace('web\t0.25', '\t'), MAIN.replace('web\t0.25\t0.5', '\t\t'));
    expect([own?.draw, all?.draw]).toEqual([{ name: 'httpd', from: 0, to: 0.5 }, undefined]);
  });

  it('must start with a main process', () => {
    expect(() => read(CHILD)).toThrow(
      'services/mine.tsv:2:kind: expected main in the first row of a list, found child',
    );
  });
});
