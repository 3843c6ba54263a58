declare module 'virtual:icons' {
  type Shape = readonly [tag: string, attributes: Readonly<Record<string, string>>];
  const icons: Readonly<Record<string, readonly Shape[]>>;
  export default icons;
}
declare module '*.css';
