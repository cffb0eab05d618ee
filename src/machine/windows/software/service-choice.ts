import { shareOf } from '../../common/draws.ts';
import type { Counts } from '../../profile.ts';
import { OPTIONAL_SERVICES, type OptionalService } from '../data/optional-services.ts';
import { ROLE_SERVICES } from '../data/role-services.ts';
import type { WindowsRole } from '../data/roles.ts';
import { RUNNING_SERVICES } from '../data/running-services.ts';
import type { ServiceLine } from '../data/service-table.ts';
import { STOPPED_SERVICES, USER_SERVICES } from '../data/stopped-services.ts';

export type ChosenServices = {
  /** Those that only some hosts have. */
  readonly optional: readonly OptionalService[];
  readonly services: readonly ServiceLine[];
  readonly userServices: readonly ServiceLine[];
};

/** Of a full list, so much is running. */
const RUNNING_SHARE = 0.42;
/** Of a full list, so much is there once per user; each of them shows twice. */
const USER_SHARE = 0.15;
const LONG_LIST = 30;
/** What only workplaces have. */
const CLIENT_ONLY = `wscsvc SecurityHealthService jhi_service igccservice RtkAudioUniversalService ClickToRunSvc
  IntuneManagementExtension WlanSvc bthserv BTAGService BthAvctpSvc SysMain DusmSvc Sense XblAuthManager XblGameSave
  XboxGipSvc XboxNetApiSvc WMPNetworkSvc WpcMonSvc RetailDemo spectrum SharedRealitySvc MixedRealityOpenXRSvc wisvc
  perceptionsimulation WwanSvc fhsvc SDRSVC icssvc SEMgrSvc SmsRouter PhoneSvc webthreatdefsvc webthreatdefusersvc
  PNRPsvc p2pimsvc p2psvc autotimesvc NaturalAuthentication WFDSConMgrSvc`.split(/\s+/);

/** About so many services of a role, the important ones first. */
export function chosenServices(role: WindowsRole, client: boolean, { services: count, fixed }: Counts): ChosenServices {
  const fits = ({ name }: ServiceLine) => client || !CLIENT_ONLY.includes(name);
  // Instances of users come and go with them, which a fixed number does not allow.
  const userShare = fixed?.includes('services') ? 0 : USER_SHARE;
  const userServices = USER_SERVICES.filter(fits).slice(0, Math.round((count * userShare) / 2));
  // A fixed number leaves no choice; short lists do not tell of them.
  const optional = fixed?.includes('services') || count < LONG_LIST ? [] : optionalServices(role, client);
  const drawn = optional.reduce((sum, { draw }) => sum + shareOf(draw), 0);
  const rest = Math.round(count - drawn) - 2 * userServices.length;
  const own = ROLE_SERVICES[role].slice(0, Math.ceil(count * 0.1));
  const running = RUNNING_SERVICES.filter(fits).slice(0, Math.max(0, Math.round(count * RUNNING_SHARE) - own.length));
  const stopped = STOPPED_SERVICES.filter(fits).slice(0, Math.max(0, rest - own.length - running.length));
  const known = [...running, ...own, ...stopped];
  return {
    optional,
    services: [...known, ...instances(fixed?.includes('services') ? rest - known.length : 0)],
    userServices,
  };
}

/** What some hosts of a role have besides what all of them have. */
export function optionalServices(role: WindowsRole, client: boolean): readonly OptionalService[] {
  const known = new Set(ROLE_SERVICES[role].map(({ name }) => name));
  return OPTIONAL_SERVICES.filter(({ on, line }) => {
    return (on === 'both' || on === (client ? 'client' : 'server')) && !known.has(line.name);
  });
}

/** Hosts with more services than the system brings have many instances of their own. */
function instances(count: number): readonly ServiceLine[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => ({
    name: `ShopWorker$${index + 1}`,
    display: `Shop Worker (${index + 1})`,
    start: 'Manual',
    state: 'rests',
    host: String.raw`C:\Program Files\Shop\worker.exe`,
    about: 'Works through orders when there are many',
  }));
}
