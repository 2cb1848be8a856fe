declare var leadhandRows: object;
declare var leadhandLive: object;
