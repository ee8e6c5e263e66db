/** Plain JavaScript: `npm start` looks whether the port is free before anything is installed. */
export const DEFAULT_PORT = 4100;
