export default function Page() {
  return "new";
}
