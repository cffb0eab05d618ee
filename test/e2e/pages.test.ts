import { describe, expect, it } from 'vitest';
import { mistakesOn } from './pages/command-lines.ts';
import { followPages, LOADED, PAGES } from './pages/followed-pages.ts';
import { hasOwnNetworks } from './pages/page-shell.ts';

// Without separate networks, pages run one after another.
const describePages = hasOwnNetworks ? describe.concurrent : describe;

describePages('the page', async () => {
  await followPages(PAGES.filter(({ name }) => !LOADED.includes(name)));
});

describe('all pages', () => {
  it('mention only commands and flags that exist', async () => {
    const mistakes = await Promise.all(PAGES.map(mistakesOn));
    expect(mistakes.flat()).toEqual([]);
  });
});
