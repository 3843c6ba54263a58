declare module 'virtual:icons' {
  type Shape = readonly [tag: string, attributes: Readonly<Record<string, string>>];
  const icons: Readonly<Record<string, readonly Shape[]>>;
  export default icons;
}
declare module '*.css';

/** The address of a worker; see vite.workers.ts. */
declare module '*?worker-chunk' {
  const url: string;
  export default url;
}
