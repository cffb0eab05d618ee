import { openIdentityStore } from '../../../src/storage/identity-store.ts';

/** Passwords by uuid that an identity file holds for a target. */
export function stored(file: string, target: string): Map<string, string> {
  const store = openIdentityStore(file);
  const passwords = store.load(target);
  store.close();
  return passwords;
}
