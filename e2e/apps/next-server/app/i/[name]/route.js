import { handle } from "../../../first-party.js";

// Next.js writes the visitor's address into this header.
export const GET = (request) => handle(request, request.headers.get("X-Forwarded-For"));
export const POST = GET;
