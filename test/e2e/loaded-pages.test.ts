import { describe } from 'vitest';
import { followPages, LOADED, PAGES } from './pages/followed-pages.ts';

describe('the page with a run that takes half a core', async () => {
  await followPages(PAGES.filter(({ name }) => LOADED.includes(name)));
});
