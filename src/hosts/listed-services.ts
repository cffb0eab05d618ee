import { isService } from './host/failures.ts';

const CHECKS = ['systemd_services', 'windows_services', 'launchd_services'] as const;

type ListedServices = Readonly<
  Partial<Record<(typeof CHECKS)[number], readonly { readonly Name?: string; readonly Label?: string }[]>>
>;

/** Whether check data list a service, running or not. */
export function listsService(checkdata: string, service: string): boolean {
  const document = JSON.parse(checkdata) as ListedServices;
  // A check that fails or is switched off has no list.
  const lists = CHECKS.flatMap((check) => (Array.isArray(document[check]) ? document[check] : []));
  return lists.some(({ Name, Label = '' }) => isService(Name ?? Label, service));
}
