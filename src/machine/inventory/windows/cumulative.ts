import { hash32 } from '../../../kernel/random.ts';
import { monthOf } from '../releases.ts';

/** The months' cumulative updates of an edition: their articles, and the builds that they bring. */
export type CumulativeUpdates = {
  readonly label: string;
  readonly known: readonly (readonly [article: number, build: number])[];
};

/** The first known month. */
const FIRST_MONTH = monthOf(2024, 10);
/** What the numbers grow by in a month beyond what is known. */
const ARTICLE_STEP = 2200;
const BUILD_STEP = 131;

/** Windows 11 24H2, build 26100. */
export const WINDOWS_11: CumulativeUpdates = {
  label: 'windows-11',
  known: [
    [5_044_284, 2033],
    [5_046_617, 2314],
    [5_048_667, 2605],
    [5_050_009, 2894],
    [5_051_987, 3194],
    [5_053_598, 3476],
    [5_055_523, 3775],
    [5_058_411, 4061],
    [5_060_842, 4349],
    [5_062_553, 4652],
    [5_063_878, 4946],
    [5_065_426, 6584],
    [5_066_835, 6899],
    [5_068_861, 7171],
    [5_072_033, 7462],
    [5_074_109, 7623],
  ],
};

/** Windows Server 2022, build 20348. */
export const WINDOWS_SERVER_2022: CumulativeUpdates = {
  label: 'windows-server-2022',
  known: [
    [5_044_281, 2762],
    [5_046_616, 2849],
    [5_048_654, 2966],
    [5_049_983, 3091],
    [5_051_979, 3207],
    [5_053_603, 3328],
    [5_055_526, 3453],
    [5_058_385, 3692],
    [5_060_526, 3807],
    [5_062_572, 3932],
    [5_063_880, 4052],
    [5_065_432, 4171],
    [5_066_782, 4294],
    [5_068_787, 4405],
    [5_071_547, 4529],
    [5_073_457, 4648],
  ],
};

/** The article and the build of a month, counted from January 1970; months beyond the known ones go on like them. */
export function cumulativeOf({ label, known }: CumulativeUpdates, month: number): { article: number; build: number } {
  const place = Math.max(0, month - FIRST_MONTH);
  const beyond = Math.max(0, place - (known.length - 1));
  const [article, build] = known[Math.min(place, known.length - 1)] ?? [0, 0];
  const scatter = beyond === 0 ? 0 : hash32(0, `windows.articles.${label}`, month);
  return {
    article: article + beyond * ARTICLE_STEP + (scatter % 1900),
    build: build + beyond * BUILD_STEP + (scatter % 90),
  };
}
