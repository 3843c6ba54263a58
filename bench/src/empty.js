/** Nothing: what an import costs of itself. */
export {};
