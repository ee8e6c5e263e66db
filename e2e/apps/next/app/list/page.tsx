export default function Page() {
  return "list";
}
