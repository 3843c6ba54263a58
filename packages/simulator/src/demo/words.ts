/** The little the demo model knows of English. */

const CONCEPTS: { readonly [concept: string]: string } = {
  time: 'time clock date today now hour day weekday',
  calculate:
    'calculate calculator compute evaluate arithmetic math maths sum calculation add multiply divide',
  list: 'list folder directory dir ls largest biggest smallest entry',
  read: 'read open show cat print summarise summarize summary contents content about',
  search: 'search find look lookup query',
  weather: 'weather forecast temperature rain sunny',
  write: 'write save store create append',
  send: 'send mail email message notify',
};

const STOP_WORDS = new Set(
  (
    'a an and any are as at be by can could current do does for from get give has have how i if in into is it its me my of on or ' +
    'our out please return returned say tell text that the their them then there these they this those to use used uses using ' +
    'was what when where which who will with you your name example default one below'
  ).split(' '),
);

const CONCEPT_OF = new Map(
  Object.entries(CONCEPTS).flatMap(([concept, words]) =>
    words.split(' ').map((word) => [word, concept] as const),
  ),
);

/** The meaningful words of a text, each reduced to its concept or stem. */
export function conceptsIn(text: string): ReadonlySet<string> {
  const words = text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/\p{L}+/gu);
  return new Set((words ?? []).filter((word) => !STOP_WORDS.has(word)).map(conceptOf));
}

/** The parts of a request that may each want something else. */
export function clausesOf(prompt: string): readonly string[] {
  return prompt
    .split(/[?!;\n]+|\.(?=\s|$)|,?\s+(?:and then|and also|and|then|also)\s+/i)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '');
}

/** -1: the least of something is asked for; 1: the most; 0: neither. */
export function superlativeIn(text: string): -1 | 0 | 1 {
  if (/\b(largest|biggest|longest|greatest|highest|most|heaviest|maximum)\b/i.test(text)) return 1;
  return /\b(smallest|shortest|lowest|least|tiniest|minimum)\b/i.test(text) ? -1 : 0;
}

function conceptOf(word: string): string {
  const stem = word.length > 4 ? word.replace(/(?:ies)$/, 'y').replace(/([^s])s$/, '$1') : word;
  return CONCEPT_OF.get(word) ?? CONCEPT_OF.get(stem) ?? stem;
}
