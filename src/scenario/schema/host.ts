import { z } from 'zod';
import { wholeNumberFrom } from '../../notation/quantities.ts';
import { section } from '../../notation/section.ts';

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

/** How many of each kind every host has, where a size of payload does not say enough. */
export const hostCounts = section({
  processes: wholeNumberFrom(1, 10_000).exactOptional().describe('About, as they come and go.'),
  services: wholeNumberFrom(1, 10_000)
    .exactOptional()
    .describe('Units of systemd, jobs of launchd, or Windows services.'),
  disks: wholeNumberFrom(1, 500).exactOptional().describe('File systems; on Windows volumes, as far as letters go.'),
  interfaces: wholeNumberFrom(1, 500).exactOptional().describe('Network interfaces, the loopback included.'),
  containers: things.describe('Containers, unless `checks.docker` says how many.'),
});
