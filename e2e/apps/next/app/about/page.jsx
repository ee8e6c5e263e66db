// biome-ignore lint/style/noDefaultExport: Next.js asks for one
export default function Page() {
  return "about";
}
