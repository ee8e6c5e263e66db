import { createServer } from "node:http";

const events = [];
createServer(async (request, response) => {
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.setHeader("Access-Control-Allow-Headers", "Content-Type");
  const body = (await request.setEncoding("utf8").toArray()).join("");
  if (request.method === "POST") events.push(JSON.parse(body));
  response.end(JSON.stringify(events));
}).listen(4319);
