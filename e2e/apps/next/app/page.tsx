export default function Page() {
  return "home";
}
