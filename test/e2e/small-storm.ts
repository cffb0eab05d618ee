/** Flags that run scenarios/enrollment-storm.yaml in one second with a few agents. */
export const SMALL_STORM: readonly string[] = [
  ...['--agents', '20', '--set', 'phases.storm.duration=500ms', '--set', 'phases.storm.register={over: 300ms}'],
  ...['--set', 'phases.first-reports.duration=500ms', '--set', 'phases.first-reports.checkdata={every: 200ms}'],
];
