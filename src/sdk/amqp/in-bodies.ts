// Many things for one kind of request, in as few bodies as hold them.

export function* inBodies<T extends { readonly text: string }>(
  items: readonly T[],
  charactersMax: number,
): Generator<readonly T[]> {
  let some: T[] = [];
  let characters = 0;
  for (const each of items) {
    if (some.length > 0 && characters + each.text.length > charactersMax) {
      yield some;
      some = [];
      characters = 0;
    }
    some.push(each);
    characters += each.text.length;
  }
  if (some.length > 0) yield some;
}
