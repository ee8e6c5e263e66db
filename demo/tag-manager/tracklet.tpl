___INFO___

{
  "type": "TAG",
  "id": "cvt_temp_public_id",
  "version": 1,
  "securityGroups": [],
  "displayName": "tracklet",
  "brand": { "id": "brand_dummy", "displayName": "" },
  "description": "Loads tracklet, and calls its verbs: events that reach your service once, also when the network or the tab goes away.",
  "containerContexts": ["WEB"]
}


___TEMPLATE_PARAMETERS___

[
  {
    "type": "SELECT",
    "name": "verb",
    "displayName": "What the tag does",
    "macrosInSelect": false,
    "simpleValueType": true,
    "defaultValue": "init",
    "selectItems": [
      { "value": "init", "displayValue": "Load tracklet and count page views" },
      { "value": "identify", "displayValue": "Identify the contact" },
      { "value": "track", "displayValue": "Track an event" },
      { "value": "pageview", "displayValue": "Track a page view" },
      { "value": "reset", "displayValue": "Forget the contact (log-out)" },
      { "value": "optIn", "displayValue": "The visitor agrees" },
      { "value": "optOut", "displayValue": "The visitor refuses" }
    ]
  },
  {
    "type": "TEXT",
    "name": "scriptUrl",
    "displayName": "Address of the script",
    "simpleValueType": true,
    "help": "Where you host tracklet.iife.js. The permission to inject scripts must name it, too.",
    "defaultValue": "https://cdn.example.com/tracklet.iife.js",
    "valueValidators": [{ "type": "NON_EMPTY" }],
    "enablingConditions": [{ "paramName": "verb", "paramValue": "init", "type": "EQUALS" }]
  },
  {
    "type": "TEXT",
    "name": "apiToken",
    "displayName": "API token",
    "simpleValueType": true,
    "help": "Token of the event endpoint.",
    "valueValidators": [{ "type": "NON_EMPTY" }],
    "enablingConditions": [{ "paramName": "verb", "paramValue": "init", "type": "EQUALS" }]
  },
  {
    "type": "TEXT",
    "name": "trackUrl",
    "displayName": "Address of the service",
    "simpleValueType": true,
    "help": "Without the path of the event endpoint. May be relative, for a proxy of your own.",
    "valueValidators": [{ "type": "NON_EMPTY" }],
    "enablingConditions": [{ "paramName": "verb", "paramValue": "init", "type": "EQUALS" }]
  },
  {
    "type": "SELECT",
    "name": "pageviews",
    "displayName": "Page views",
    "macrosInSelect": false,
    "simpleValueType": true,
    "defaultValue": "auto",
    "enablingConditions": [{ "paramName": "verb", "paramValue": "init", "type": "EQUALS" }],
    "selectItems": [
      { "value": "auto", "displayValue": "As the visitor navigates" },
      { "value": "hash", "displayValue": "Also where only the fragment changes" },
      { "value": "off", "displayValue": "By a tag of their own" }
    ]
  },
  {
    "type": "SELECT",
    "name": "consent",
    "displayName": "Consent while the visitor has not chosen",
    "macrosInSelect": false,
    "simpleValueType": true,
    "defaultValue": "granted",
    "enablingConditions": [{ "paramName": "verb", "paramValue": "init", "type": "EQUALS" }],
    "selectItems": [
      { "value": "granted", "displayValue": "Granted" },
      { "value": "pending", "displayValue": "Events wait in memory" },
      { "value": "denied", "displayValue": "Denied" }
    ]
  },
  {
    "type": "TEXT",
    "name": "eventPath",
    "displayName": "Path of the event endpoint",
    "simpleValueType": true,
    "help": "Only for a proxy that renames it.",
    "enablingConditions": [{ "paramName": "verb", "paramValue": "init", "type": "EQUALS" }]
  },
  {
    "type": "TEXT",
    "name": "name",
    "displayName": "Name",
    "simpleValueType": true,
    "help": "Of the global and the storage keys. Default: tracklet. A script has one tracker: for a second one beside it, put a tag with data-name in the page.",
    "enablingConditions": [{ "paramName": "verb", "paramValue": "init", "type": "EQUALS" }]
  },
  {
    "type": "TEXT",
    "name": "contactUid",
    "displayName": "Contact",
    "simpleValueType": true,
    "help": "Unique id of the visitor, most often a variable. Empty: nobody is identified.",
    "enablingConditions": [
      { "paramName": "verb", "paramValue": "init", "type": "EQUALS" },
      { "paramName": "verb", "paramValue": "identify", "type": "EQUALS" }
    ]
  },
  {
    "type": "TEXT",
    "name": "accountUid",
    "displayName": "Account",
    "simpleValueType": true,
    "help": "Unique id of the visitor's account.",
    "enablingConditions": [
      { "paramName": "verb", "paramValue": "init", "type": "EQUALS" },
      { "paramName": "verb", "paramValue": "identify", "type": "EQUALS" }
    ]
  },
  {
    "type": "TEXT",
    "name": "eventUid",
    "displayName": "Event",
    "simpleValueType": true,
    "help": "Name of the event, such as sign_up.",
    "valueValidators": [{ "type": "NON_EMPTY" }],
    "enablingConditions": [{ "paramName": "verb", "paramValue": "track", "type": "EQUALS" }]
  },
  {
    "type": "SIMPLE_TABLE",
    "name": "params",
    "displayName": "Parameters",
    "newRowButtonText": "Add a parameter",
    "enablingConditions": [
      { "paramName": "verb", "paramValue": "track", "type": "EQUALS" },
      { "paramName": "verb", "paramValue": "pageview", "type": "EQUALS" }
    ],
    "simpleTableColumns": [
      { "defaultValue": "", "displayName": "Name", "name": "name", "type": "TEXT", "isUnique": true },
      { "defaultValue": "", "displayName": "Value", "name": "value", "type": "TEXT" }
    ]
  }
]


___SANDBOXED_JS_FOR_WEB_TEMPLATE___

// The calls go through the array that the script takes over: it may be loaded before or after them.
const callInWindow = require('callInWindow');
const copyFromWindow = require('copyFromWindow');
const createQueue = require('createQueue');
const injectScript = require('injectScript');
const makeTableMap = require('makeTableMap');

const OPTIONS = [
  'apiToken', 'trackUrl', 'eventPath', 'name', 'pageviews', 'consent', 'contactUid', 'accountUid'
];

// Once the script is there, the global is an object, which must stay.
if (!copyFromWindow('tracklet')) createQueue('tracklet');

const call = (command) => callInWindow('tracklet.push', command);

if (data.verb === 'init') {
  // What is left empty has its default.
  const config = {};
  for (let i = 0; i < OPTIONS.length; i++) {
    const option = OPTIONS[i];
    if (data[option]) config[option] = data[option];
  }
  call(['init', config]);
  // Fired again, as after a history change, it is not loaded again.
  injectScript(data.scriptUrl, data.gtmOnSuccess, data.gtmOnFailure, data.scriptUrl);
} else {
  const params = (data.params && makeTableMap(data.params, 'name', 'value')) || {};
  if (data.verb === 'track') call(['track', data.eventUid, params]);
  else if (data.verb === 'pageview') call(['pageview', params]);
  else if (data.verb === 'identify') call(['identify', data.contactUid, data.accountUid]);
  else call([data.verb]);
  data.gtmOnSuccess();
}


___WEB_PERMISSIONS___

[
  {
    "instance": {
      "key": { "publicId": "access_globals", "versionId": "1" },
      "param": [
        {
          "key": "keys",
          "value": {
            "type": 2,
            "listItem": [
              {
                "type": 3,
                "mapKey": [
                  { "type": 1, "string": "key" },
                  { "type": 1, "string": "read" },
                  { "type": 1, "string": "write" },
                  { "type": 1, "string": "execute" }
                ],
                "mapValue": [
                  { "type": 1, "string": "tracklet" },
                  { "type": 8, "boolean": true },
                  { "type": 8, "boolean": true },
                  { "type": 8, "boolean": false }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  { "type": 1, "string": "key" },
                  { "type": 1, "string": "read" },
                  { "type": 1, "string": "write" },
                  { "type": 1, "string": "execute" }
                ],
                "mapValue": [
                  { "type": 1, "string": "tracklet.push" },
                  { "type": 8, "boolean": false },
                  { "type": 8, "boolean": false },
                  { "type": 8, "boolean": true }
                ]
              }
            ]
          }
        }
      ]
    },
    "clientAnnotations": { "isEditedByUser": true },
    "isRequired": true
  },
  {
    "instance": {
      "key": { "publicId": "inject_script", "versionId": "1" },
      "param": [
        { "key": "urls", "value": { "type": 2, "listItem": [{ "type": 1, "string": "https://cdn.example.com/*" }] } }
      ]
    },
    "clientAnnotations": { "isEditedByUser": true },
    "isRequired": true
  }
]


___TESTS___

scenarios: []


___NOTES___

Part of tracklet; described in its README, section "Tag manager".
