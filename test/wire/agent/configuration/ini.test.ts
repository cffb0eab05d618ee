import { describe, expect, it } from 'vitest';
import { UserError } from '../../../../src/base/kernel/errors.ts';
import { iniTree, readIni } from '../../../../src/wire/agent/configuration/ini.ts';

// The expected values come from the real agent's INI library, row by row.

/** Returns the value of `a` in the section `s` with these lines. */
function readValue(...lines: string[]): string | undefined {
  return readIni(['[s]', ...lines, ''].join('\n'), 'f.ini')
    .get('s')
    ?.get('a');
}

describe('a value in an INI file of the agent', () => {
  it.each([
    ['x', 'x'],
    ['  x y \t', 'x y'],
    ['', ''],
    ['\u00a0x\u0085', 'x'],
    ['\ufeffx', '\ufeffx'],
    ['x=y:z', 'x=y:z'],
    ['x\r', 'x'],
  ])('is %j without surrounding white space', (written, read) => {
    expect(readValue(`a = ${written}`)).toBe(read);
  });

  it.each([
    ['x#y', 'x'],
    ['x;y', 'x'],
    ['x # y', 'x'],
    ['# x', ''],
    ['"x#y"', '"x'],
    ["'x;y'", "'x"],
    ['"x" # y', 'x'],
  ])('ends at a comment, even without a space before it and within quotes: %j', (written, read) => {
    expect(readValue(`a = ${written}`)).toBe(read);
  });

  it.each([
    ['"x"', 'x'],
    ["'x'", 'x'],
    ['" x "', ' x '],
    ['""', ''],
    ['"', '"'],
    ['"x', '"x'],
    ['"x\'', '"x\''],
    ['"x"y"', '"x"y"'],
    ['"x" y', '"x" y'],
    [`'"x"'`, '"x"'],
  ])('loses quotes that surround it and occur nowhere else: %j', (written, read) => {
    expect(readValue(`a = ${written}`)).toBe(read);
  });

  it.each([
    ['`x#y`', 'x#y'],
    ['` x `', ' x '],
    ['`"x"`', '"x"'],
    ['`x\\`', 'x\\'],
    ['`x`y`', 'x`y'],
    ['`x` # y', 'x'],
    ['`x` ; `y', 'x` ; '],
    ['``', ''],
    ['x`#`', 'x`'],
    ['"""x#y"""', 'x#y'],
    ['"""x"y""""', 'x"y"'],
  ])('is kept up to the last closing quote in backquotes and triple quotes: %j', (written, read) => {
    expect(readValue(`a = ${written}`)).toBe(read);
  });

  it('continues over lines within backquotes', () => {
    expect(readValue('a = `x # 1', '  y', 'z` b = 2')).toBe('x # 1\n  y\nz');
  });

  it('continues on the next line after a backslash, and then comments and quotes have no meaning', () => {
    expect(readValue('a = x\\', '  y # z')).toBe('xy # z');
    expect(readValue('a = "x # y \\', 'z"')).toBe('"x # y z"');
    expect(readValue('a = x\\', 'yz\\', '', 'b = 1')).toBe('xyz');
    expect(readValue('a = x\\')).toBe('x');
  });

  it('refers to other keys, case-sensitively', () => {
    expect(readValue('a = %(b)s/%(c)s', 'b = 1', 'c = %(b)s2')).toBe('1/12');
    expect(readValue('a = `%(b)s`', 'b = `#`')).toBe('#');
    expect(readValue('a = %(B)s', 'b = 1')).toBe('%(B)s');
    expect(readValue('a = %(a)s')).toBe('%(a)s');
    expect(readValue('a = %(none)s%(b)s', 'b = 1')).toBe('%(none)s%(b)s');
    expect(readValue('a = 5 %, %(, %()s')).toBe('5 %, %(, %()s');
  });

  it('refers to keys before the first section, and to those of its parent section', () => {
    const sections = readIni('b = 1\n[s]\nc = 2\n[s.t]\na = %(b)s%(c)s\n', 'f.ini');
    expect(sections.get('s.t')?.get('a')).toBe('12');
  });

  it('that refers to its own name means only the key before the first section', () => {
    const own = (before: string) => readIni(`${before}[s]\na = 1\n[s.t]\na = %(a)s\n`, 'f.ini').get('s.t')?.get('a');
    expect([own(''), own('a = 9\n')]).toEqual(['%(a)s', '9']);
  });

  it('that refers to itself is replaced 99 times', () => {
    expect(readIni('a = x%(a)s\n', 'f.ini').get('DEFAULT')?.get('a')).toBe(`${'x'.repeat(100)}%(a)s`);
  });

  it('that grows without limit is refused', () => {
    expect(() => readIni('a = %(a)s%(a)s\n', 'f.ini')).toThrow('f.ini: [DEFAULT] a: expected a value that fits');
  });

  it('with many unclosed references is read in linear time', () => {
    const many = '%('.repeat(200_000);
    expect(readValue(`a = ${many})`)).toBe(`${many})`);
  });
});

describe('a line in an INI file of the agent', () => {
  it.each(['a=1', 'a : 1', '"a" = 1', '`a` = `1`', '  a = 1', '"""a""" = 1', '; x\n# y\n\na = 1'])(
    'may be %j',
    (line) => {
      expect(readValue(line)).toBe('1');
    },
  );

  it('may have delimiters and spaces in its quoted name', () => {
    expect(Object.fromEntries(readIni('"b=" = 1\n"""c d:""" : 2\n', 'f.ini').get('DEFAULT') ?? [])).toEqual({
      'b=': '1',
      'c d:': '2',
    });
  });

  it.each(['[s] # x', '[s] a = 1', '  [s]', '\ufeff[s]', '[s]\r'])('may be the section %j', (line) => {
    expect([...readIni(`${line}\nb = 1\n`, 'f.ini').keys()]).toEqual(['DEFAULT', 's']);
  });

  it('keeps spaces in the name of a section', () => {
    expect([...readIni('[ s ]\n[a]b]\n', 'f.ini').keys()]).toEqual(['DEFAULT', ' s ', 'a]b']);
  });

  it.each(['junk', '= 1', '"a = 1', '"" = 1', '[]', '[s', 'a = `x', 'a = """x'])(
    'makes the file unreadable if it is %j',
    (line) => {
      const read = () => readIni(`# first\n${line}\n`, 'f.ini');
      expect(read).toThrow(UserError);
      expect(read).toThrow(
        `f.ini, line 2: expected a comment, a [section] or a key with a value, found ${JSON.stringify(line)}.`,
      );
    },
  );
});

describe('repeated keys', () => {
  const treeOf = (text: string) => iniTree(readIni(text, 'f.ini'));
  const keysOf = (text: string, section: string) =>
    Object.fromEntries(treeOf(text).get(section) as ReadonlyMap<string, string>);

  it('have the last value, even if the section is opened twice', () => {
    expect(keysOf('[s]\na = 1\na = 2\n', 's')).toEqual({ a: '2' });
    expect(keysOf('[s]\na = 1\nb = 1\n[t]\n[s]\na = 2\n', 's')).toEqual({ a: '2', b: '1' });
  });

  it('have the value of the uppercase spelling, in any order', () => {
    expect(keysOf('[s]\nA = 1\na = 2\n', 's')).toEqual({ a: '1' });
    expect(keysOf('[s]\na = 2\nA = 1\n', 's')).toEqual({ a: '1' });
  });

  it('are lost with their whole section if that also exists in uppercase', () => {
    expect(keysOf('[S]\na = 1\n[s]\na = 2\nb = 2\n', 's')).toEqual({ a: '1' });
    expect(keysOf('a = 1\n[default]\nb = 2\n', 'default')).toEqual({ a: '1' });
  });

  it('belong to the first part of a section name with any number of dots', () => {
    const deep = `[${'s.'.repeat(100_000)}s]\na = %(b)s\n`;
    expect([...treeOf(deep).keys()]).toEqual(['s']);
  });

  it('open no section without keys', () => {
    expect([...treeOf('[s]\n[t]\na = 1\n').keys()]).toEqual(['t']);
  });
});
