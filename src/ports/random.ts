export interface Random {
  /** In [0, 1). */
  fraction(): number;
}
