/** Words that the demo's records are named with. */
export const COMPANIES = [
  "Alder & Finch Bakery",
  "Blue Heron Logistics",
  "Cobalt Instruments",
  "Driftwood Travel",
  "Ember Energy",
  "Foxglove Health",
  "Granite Legal",
  "Harbour Books",
  "Iris Optics",
  "Juniper Gardens",
  "Kestrel Robotics",
  "Lantern Studios",
];

// biome-ignore format: a list of words
export const GIVEN_NAMES = [
  "Ada", "Benoît", "Chiara", "Dmitri", "Elif", "Farah", "Gustav", "Hana", "Ibrahim", "Jana", "Kofi", "Leila",
  "Mateo", "Nora", "Olu", "Priya", "Quentin", "Rosa", "Sven", "Tomoko", "Uma", "Viktor", "Wanda", "Zoë",
];

// biome-ignore format: a list of words
export const FAMILY_NAMES = [
  "Abara", "Berg", "Costa", "Dubois", "Eriksen", "Fischer", "Greco", "Haddad", "Ito", "Jansen", "Kaya", "Lindqvist",
  "Moreau", "Novak", "Okafor", "Petrov", "Quinn", "Rossi", "Silva", "Tanaka", "Ueda", "Vargas", "Weber", "Yilmaz",
];

export const STAGES = ["Trial", "Onboarding", "Customer", "At risk"];
export const PLANS = ["starter", "team", "business"];
export const ROLES = ["admin", "manager", "agent", "viewer"];
