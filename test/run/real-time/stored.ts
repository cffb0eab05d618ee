import { openIdentityStore } from '../../../src/storage/identity-store.ts';

/** Passwords by uuid that an identity file holds for a target. */
export function stored(file: string, target: string): Map<string, string> {
  const store = openIdentityStore(file);
  const passwords = new Map(Array.from(store.entries(target), ({ uuid, password }) => [uuid, password]));
  store.close();
  return passwords;
}
