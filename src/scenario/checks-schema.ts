import { z } from 'zod';
import { wholeNumberFrom } from './quantities.ts';
import { section } from './section.ts';

// Enough for any host, and too little to fill the memory by a slip of the finger.
const things = wholeNumberFrom(0, 1000).exactOptional();

/** Checks that an administrator switches on, each under its name in the check data; what is left out is as shipped. */
export const optionalChecks = section({
  docker: things.describe('Containers of each host.'),
  customchecks: things.describe("Plugins of the administrator's own."),
  libvirt: things.describe('Virtual machines; Linux only.'),
  // Each exporter's results name all of them.
  prometheus_exporters: wholeNumberFrom(0, 100).exactOptional().describe('Exporters whose results are passed on.'),
  windows_eventlog: things.describe('Entries in the event logs; Windows only.'),
  sensors: z.boolean('true or false').exactOptional().describe('On unless switched off; Linux only.'),
});
