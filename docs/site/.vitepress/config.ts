import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { defineConfig, type MarkdownOptions } from 'vitepress';
import { KEYWORDS, KEYWORDS_BOOST } from '../keywords.ts';
import { DEVELOPER_SECTIONS, fragmentOf, titleOf, USER_SECTIONS } from '../pages.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const SITE = join(ROOT, 'docs/site');
const base = process.env.DOCS_BASE ?? '/';

/** Files that pages link to and that are no pages, such as scenarios: the site has copies. Paths below the checkout. */
const linkedFiles = new Set<string>();

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0];

/** Leads links to files that are no pages to their copies on the site. */
function linkFiles(md: MarkdownIt): void {
  md.core.ruler.push('linked-files', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const target = token.type === 'link_open' ? (token.attrGet('href') ?? '') : '';
      if (/^[a-z]+:|^#|^$|\.md(#|$)/.test(target)) continue;
      const file = relative(ROOT, resolve(dirname(env.path), target)).replaceAll('\\', '/');
      linkedFiles.add(file);
      token.attrSet('href', posix.join(base, 'files', file));
      token.attrSet('download', '');
    }
  });
}

const items = (sections: typeof USER_SECTIONS) =>
  sections.map(({ title, pages }) => ({
    text: title,
    items: pages.map((page) => ({ text: titleOf(page), link: `/${page}` })),
  }));

/** The fields of a section in the search index. Documents have `id`, such as `/how-to/install.html#from-a-tarball`. */
function fieldOf(document: Readonly<Record<string, unknown>>, field: string): unknown {
  if (field !== 'keywords') return document[field];
  const id = String(document.id).slice(base.length).replace('.html', '');
  const [page = '', fragment] = id.split('#');
  // The section of the page's title has the page's keywords.
  const ofPage = KEYWORDS[page];
  return KEYWORDS[id] ?? (ofPage !== undefined && fragment === fragmentOf(titleOf(page)) ? ofPage : undefined);
}

export default defineConfig({
  title: 'Muster',
  description: 'Agent simulator and load generator for openITCOCKPIT Monitoring Agent push servers',
  lang: 'en-US',
  base,
  srcDir: '..',
  srcExclude: ['site/**'],
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: fragmentOf },
    config: linkFiles,
  },
  vite: {
    build: { target: 'es2022' },
    plugins: [
      {
        // Pages stand outside of the folder with the packages.
        name: 'packages-of-the-site',
        enforce: 'pre',
        resolveId(id, importer, { ssr }) {
          if (!/^vue(\/|$)/.test(id) || importer === undefined) return null;
          if (ssr === true) return { id, external: true };
          return importer.startsWith(SITE) ? null : this.resolve(id, join(SITE, 'pages.ts'), { skipSelf: true });
        },
      },
    ],
  },
  themeConfig: {
    nav: [
      ...items(USER_SECTIONS).map(({ text, items: pages }) => ({ text, link: pages[0]?.link ?? '/' })),
      { text: 'Developers', link: `/${DEVELOPER_SECTIONS[0]?.pages[0]}`, activeMatch: '/developers/' },
    ],
    sidebar: { '/developers/': items(DEVELOPER_SECTIONS), '/': items(USER_SECTIONS) },
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        miniSearch: {
          options: { fields: ['title', 'titles', 'text', 'keywords'], extractField: fieldOf },
          searchOptions: { boost: { keywords: KEYWORDS_BOOST, title: 4, text: 2, titles: 1 } },
        },
      },
    },
  },
  buildEnd({ outDir }) {
    for (const file of linkedFiles) {
      const copy = join(outDir, 'files', file);
      mkdirSync(dirname(copy), { recursive: true });
      cpSync(join(ROOT, file), copy);
    }
  },
});
