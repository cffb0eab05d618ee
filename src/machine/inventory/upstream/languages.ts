/** Languages that software is translated to: code and English name. */
export const LANGUAGES: readonly (readonly [code: string, name: string])[] = `
  af Afrikaans, ar Arabic, bg Bulgarian, bn Bengali, ca Catalan, cs Czech, da Danish
  de German, el Greek, en English, es Spanish, et Estonian, eu Basque, fa Persian
  fi Finnish, fr French, gl Galician, he Hebrew, hi Hindi, hr Croatian, hu Hungarian
  id Indonesian, it Italian, ja Japanese, ko Korean, lt Lithuanian, lv Latvian, nb Norwegian
  nl Dutch, pl Polish, pt Portuguese, ro Romanian, ru Russian, sk Slovak, sl Slovenian
  sr Serbian, sv Swedish, th Thai, tr Turkish, uk Ukrainian, vi Vietnamese, zh Chinese
`
  .trim()
  .split(/,\s*|\n\s*/)
  .map((entry) => [entry.slice(0, 2), entry.slice(3)]);
