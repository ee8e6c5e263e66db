export default function Page() {
  return "about";
}
