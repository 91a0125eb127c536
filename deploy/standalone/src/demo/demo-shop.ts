/** A shop as a solo seller might run it: what the first start fills the deployment with. */

export const demoSeller = { email: 'seller@example.com', name: 'Mara Lindqvist Studio' } as const;

export interface DemoOffer {
  /** Also the name of what was bought, on receipts. */
  readonly headline: string;
  readonly description: string;
  readonly priceCents: number;
}

export interface DemoProduct {
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly priceCents: number;
  readonly billingInterval?: 'month' | 'year';
  readonly status: 'live' | 'draft';
  /** Share of the shop's orders, relative to the others. */
  readonly weight: number;
  readonly bumps: readonly (DemoOffer & { takenBy: number })[];
  readonly upsells: readonly DemoOffer[];
  readonly emails: readonly { sendDay: number; subject: string; body: string }[];
  readonly discounts: readonly { code: string; percentOff: number }[];
}

export const demoProducts: readonly DemoProduct[] = [
  {
    name: 'Watercolour Foundations',
    slug: 'watercolour-foundations',
    description:
      'Twelve lessons from the first wash to a finished landscape, each twenty minutes, with the palette and paper to begin with. Yours to keep, with answers to your questions.',
    priceCents: 14_900,
    status: 'live',
    weight: 10,
    bumps: [
      {
        headline: 'Printable colour-mixing charts',
        description: 'Twelve charts to fill in once and paint from for years.',
        priceCents: 1_900,
        takenBy: 0.42,
      },
      {
        headline: 'Brush care guide',
        description: 'Clean and shape them in two minutes, and they last.',
        priceCents: 900,
        takenBy: 0.18,
      },
    ],
    upsells: [
      {
        headline: 'One-to-one portfolio review (45 minutes)',
        description:
          'Bring five paintings. I say what works, what to leave out, and what to practise next. You get the recording and a plan for a month.',
        priceCents: 9_900,
      },
    ],
    emails: [
      {
        sendDay: 0,
        subject: 'Your course is ready',
        body: 'Hello {{firstName}},\n\nyour course is waiting here: {{accessUrl}}\n\nStart with lesson one; it takes twenty minutes.\n\nMara',
      },
      {
        sendDay: 3,
        subject: 'Stuck on washes? Read this',
        body: 'Hello {{firstName}},\n\nmost people stumble over the second lesson. Tilt the board, use more water than feels right, and wait.\n\nMara',
      },
      {
        sendDay: 14,
        subject: 'Show me what you painted',
        body: 'Hello {{firstName}},\n\nreply with a photo of your favourite page. I answer every one.\n\nMara',
      },
    ],
    discounts: [{ code: 'AUTUMN15', percentOff: 15 }],
  },
  {
    name: 'Botanical Sketchbook (PDF)',
    slug: 'botanical-sketchbook',
    description: 'Forty plants to draw along, from stem to petal, on pages made for your own printer.',
    priceCents: 2_400,
    status: 'live',
    weight: 14,
    bumps: [
      {
        headline: 'Paper and pigment shopping list',
        description: 'What I buy, where, and what I leave on the shelf.',
        priceCents: 500,
        takenBy: 0.3,
      },
    ],
    upsells: [
      {
        headline: 'The full plant reference library',
        description: 'Two hundred photographs from my garden, from bud to seed, to draw from all year.',
        priceCents: 3_900,
      },
    ],
    emails: [
      { sendDay: 0, subject: 'Your sketchbook', body: 'Here it is: {{accessUrl}}\n\nPrint it on heavy paper.\n\nMara' },
    ],
    discounts: [],
  },
  {
    name: 'Studio Membership (monthly)',
    slug: 'studio-monthly',
    description: 'We paint together online every Thursday at 18:00 UTC. Leave whenever you like.',
    priceCents: 1_900,
    billingInterval: 'month',
    status: 'live',
    weight: 5,
    bumps: [
      {
        headline: 'Replay archive',
        description: 'All Thursdays of the last year, to watch when you like.',
        priceCents: 2_900,
        takenBy: 0.25,
      },
    ],
    upsells: [],
    emails: [
      { sendDay: 0, subject: 'Welcome to the studio', body: 'We paint together every Thursday at 18:00 UTC.\n\nMara' },
    ],
    discounts: [],
  },
  {
    name: 'Studio Membership (yearly)',
    slug: 'studio-yearly',
    description: 'A year of Thursdays: we paint together online at 18:00 UTC, with the replays of every evening.',
    priceCents: 19_000,
    billingInterval: 'year',
    status: 'live',
    weight: 2,
    bumps: [],
    upsells: [],
    emails: [
      {
        sendDay: 0,
        subject: 'Welcome to the studio',
        body: 'A whole year of Thursdays. I am glad you are here.\n\nMara',
      },
    ],
    discounts: [{ code: 'EARLYBIRD', percentOff: 10 }],
  },
  {
    name: 'Plein Air Weekend 2027',
    slug: 'plein-air-weekend-2027',
    description: 'Three days outdoors in May 2027, in a group of eight.',
    priceCents: 39_000,
    status: 'draft',
    weight: 0,
    bumps: [],
    upsells: [],
    emails: [],
    discounts: [],
  },
];

export const demoPartner = {
  code: 'inkandleaf',
  name: 'Ink & Leaf',
  email: 'hello@inkandleaf.example',
  commissionPercent: 30,
} as const;

export const demoBuyers = [
  'Ada Okafor',
  'Bruno Keller',
  'Chiara Romano',
  'Daniel Novak',
  'Elif Demir',
  'Farah Haddad',
  'Greta Nilsen',
  'Hugo Martins',
  'Ines Dubois',
  'Jonas Weber',
  'Keiko Tanaka',
  'Liam Murphy',
  'Maya Cohen',
  'Noor Rahman',
  'Oskar Lund',
  'Priya Nair',
  'Quinn Taylor',
  'Rosa Delgado',
  'Sofia Petrova',
  'Tomas Horak',
  'Uma Shah',
  'Viktor Ilic',
  'Wanda Kowalska',
  'Xenia Pappas',
  'Yusuf Aydin',
  'Zoe Laurent',
] as const;

/** Under a name that never exists (RFC 6761), so that no email is sent to any: `canReceiveEmail`. */
export const demoEmail = (buyer: string): string => `${buyer.toLowerCase().replace(' ', '.')}@demo.invalid`;

export const demoCountries = ['DE', 'US', 'GB', 'FR', 'SE', 'NL', 'CA', 'PL', 'ES', 'AT'] as const;

export const demoCampaigns = [
  null,
  null,
  { utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'october-letter' },
  { utm_source: 'instagram', utm_medium: 'social', utm_campaign: 'leaf-a-day' },
  { utm_source: 'inkandleaf', utm_medium: 'referral', utm_campaign: 'review' },
] as const;

/** A buyer who comes to the shop's own checkout at the first start. */
export interface DemoSale {
  readonly slug: string;
  readonly buyer: (typeof demoBuyers)[number];
  readonly country: (typeof demoCountries)[number];
  /** A card of the simulated processor. */
  readonly card: 'sim_ok' | 'sim_declined';
  /** What the buyer says to the upsell; left out, the card stays held until the decision window ends. */
  readonly upsell?: 'accept' | 'decline';
  readonly refunded?: true;
}

export const demoSales: readonly DemoSale[] = [
  { slug: 'watercolour-foundations', buyer: 'Greta Nilsen', country: 'SE', card: 'sim_ok', upsell: 'accept' },
  { slug: 'watercolour-foundations', buyer: 'Hugo Martins', country: 'ES', card: 'sim_ok', upsell: 'decline' },
  {
    slug: 'watercolour-foundations',
    buyer: 'Noor Rahman',
    country: 'GB',
    card: 'sim_ok',
    upsell: 'accept',
    refunded: true,
  },
  { slug: 'watercolour-foundations', buyer: 'Liam Murphy', country: 'US', card: 'sim_ok' },
  { slug: 'botanical-sketchbook', buyer: 'Ines Dubois', country: 'FR', card: 'sim_ok', upsell: 'accept' },
  { slug: 'botanical-sketchbook', buyer: 'Tomas Horak', country: 'AT', card: 'sim_ok', upsell: 'decline' },
  { slug: 'botanical-sketchbook', buyer: 'Priya Nair', country: 'CA', card: 'sim_ok' },
  {
    slug: 'botanical-sketchbook',
    buyer: 'Yusuf Aydin',
    country: 'DE',
    card: 'sim_ok',
    upsell: 'decline',
    refunded: true,
  },
  { slug: 'studio-monthly', buyer: 'Rosa Delgado', country: 'ES', card: 'sim_ok' },
  { slug: 'studio-monthly', buyer: 'Oskar Lund', country: 'SE', card: 'sim_declined' },
  { slug: 'studio-yearly', buyer: 'Keiko Tanaka', country: 'NL', card: 'sim_ok', refunded: true },
];

/** Visitors who open a checkout and leave, by product. */
export const demoVisits: Readonly<Record<string, number>> = {
  'watercolour-foundations': 6,
  'botanical-sketchbook': 5,
  'studio-monthly': 3,
  'studio-yearly': 2,
};

/** Eight weeks of history. */
export const demoHistoryDays = 56;
export const demoOrderCount = 180;
