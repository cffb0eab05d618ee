import { openIdentityStore } from '../../../src/base/storage/identity-store.ts';

/** Returns the passwords for a target in an identity file, by uuid. */
export function stored(file: string, target: string): Map<string, string> {
  const store = openIdentityStore(file);
  const passwords = new Map(Array.from(store.entries(target), ({ uuid, password }) => [uuid, password]));
  store.close();
  return passwords;
}
