import { expect, it } from 'vitest';
import { inlineDisposition } from './disposition.ts';

it.each([
  ['f.txt', 'inline; filename=f.txt'],
  ['sp ace.txt', 'inline; filename="sp ace.txt"'],
  ['q"uote.txt', 'inline; filename="q\\"uote.txt"'],
  ['ünï.txt', "inline; filename*=utf-8''%C3%BCn%C3%AF.txt"],
  ['a\nb', "inline; filename*=utf-8''a%0Ab"],
])('%j', (name, expected) => {
  expect(inlineDisposition(name)).toBe(expected);
});
