// The tabs of the panel at the right. Each is an element in a file of its own, which is loaded when its tab is opened.
// `may` says who sees the tab; the database says what is in it.

const mayAsk = session => session?.may?.ask === true;

export const panels = [
  { id: 'schema', title: 'panel.schema', element: 'schema-panel', load: () => import('./schema-panel.js'), may: mayAsk },
  { id: 'glossary', title: 'panel.glossary', element: 'glossary-panel', load: () => import('./glossary-panel.js'), may: mayAsk },
  { id: 'learn', title: 'panel.learn', element: 'learn-panel', load: () => import('./learn-panel.js'), may: mayAsk },
  { id: 'waiting', title: 'panel.waiting', element: 'waiting-panel', load: () => import('./waiting-panel.js'), may: mayAsk },
  { id: 'egress', title: 'panel.egress', element: 'egress-panel', load: () => import('./egress-panel.js'), may: mayAsk },
];
