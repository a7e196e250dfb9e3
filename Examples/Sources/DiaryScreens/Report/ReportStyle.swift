/// The style of a report: a warm background, one dark green, and three colors for the macronutrients that people with red-green color
/// blindness can distinguish.
enum ReportStyle {
    static let sheet: Markup = """
        \(light)
        @media (prefers-color-scheme: dark) {
        \(dark)
        }
        \(layout)
        \(charts)
        @media (max-width: 719px) {
        \(narrow)
        }
        @media print {
        \(light)
        \(print)
        }
        """

    private static let light: Markup = """
        :root { --paper: #faf8f3; --card: #fffefb; --ink: #23281f; --soft: #6a6f62; --line: #e4e0d5; --accent: #2f6b4a;
          --protein: #4878a8; --carbs: #d99a3c; --fat: #a5527f; --none: #ece8de;
          --h0: #f6e3c0; --h1: #edc788; --h2: #dfa552; --h3: #bb7a2a; --h4: #87511a; }
        """

    private static let dark: Markup = """
        :root { --paper: #161814; --card: #1e211b; --ink: #e9e7de; --soft: #a2a697; --line: #33372e; --accent: #86c29d;
          --protein: #78a8d8; --carbs: #e0ab58; --fat: #cc80a8; --none: #2a2e26;
          --h0: #4a3a1e; --h1: #745523; --h2: #a3762c; --h3: #d09d48; --h4: #f3cf88; }
        """

    private static let layout: Markup = """
        * { box-sizing: border-box; }
        body { margin: 0; padding: 40px 24px 32px; background: var(--paper); color: var(--ink);
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; font-variant-numeric: tabular-nums; }
        header, main, footer { max-width: 940px; margin: 0 auto; }
        .kicker { margin: 0; color: var(--accent); font-weight: 600; letter-spacing: .09em; text-transform: uppercase; font-size: 12px; }
        h1, h2 { font-family: ui-serif, "Iowan Old Style", Georgia, "Times New Roman", serif; font-weight: 600; text-wrap: balance; }
        h1 { font-size: 36px; line-height: 1.15; margin: 4px 0 24px; letter-spacing: -.01em; }
        h2 { font-size: 21px; line-height: 1.3; margin: 0 0 4px; }
        section { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 24px; margin: 0 0 20px; }
        footer { color: var(--soft); font-size: 13px; padding: 4px 2px; }
        .tiles { list-style: none; margin: 0 0 24px; padding: 0; display: grid; grid-template-columns: repeat(4, 1fr); gap: 16px 24px; }
        .tiles li { display: flex; flex-direction: column; min-width: 0; }
        .tiles span { color: var(--soft); font-size: 13px; }
        .tiles b { font: 600 30px/1.2 ui-serif, "Iowan Old Style", Georgia, serif; }
        .tiles small { color: var(--soft); font-size: 12.5px; }
        .legend { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 18px; margin: 0 0 12px; color: var(--soft); font-size: 13px; }
        .legend span { display: inline-flex; align-items: center; gap: 6px; }
        .legend b { color: var(--ink); font-weight: 600; }
        .legend .steps { gap: 2px; }
        .shares { display: flex; height: 12px; border-radius: 6px; overflow: hidden; margin: 0 0 10px; gap: 2px; }
        .box { width: 11px; height: 11px; border-radius: 3px; }
        .dot { width: 7px; height: 7px; border-radius: 50%; background: var(--accent); opacity: .45; }
        .stroke { width: 18px; height: 0; border-top: 2.5px solid var(--accent); }
        .dash { width: 18px; height: 0; border-top: 1.5px dashed var(--soft); }
        i.protein { background: var(--protein); } i.carbs { background: var(--carbs); } i.fat { background: var(--fat); }
        i.h0 { background: var(--h0); } i.h1 { background: var(--h1); } i.h2 { background: var(--h2); } i.h3 { background: var(--h3); }
        i.h4 { background: var(--h4); } i.none { background: var(--none); }
        """

    private static let charts: Markup = """
        svg { display: block; width: 100%; height: auto; overflow: visible; }
        svg.narrow { display: none; }
        .axis { font-size: 11.5px; fill: var(--soft); }
        .grid { stroke: var(--line); stroke-width: 1; }
        .day { fill: var(--accent); opacity: .38; }
        .trend { fill: none; stroke: var(--accent); stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round; }
        .average { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 5 5; }
        rect.bar { fill: var(--accent); } rect.protein { fill: var(--protein); } rect.carbs { fill: var(--carbs); } rect.fat { fill: var(--fat); }
        rect.none { fill: var(--none); } rect.outside { fill: none; stroke: var(--none); } rect.h0 { fill: var(--h0); } rect.h1 { fill: var(--h1); }
        rect.h2 { fill: var(--h2); } rect.h3 { fill: var(--h3); } rect.h4 { fill: var(--h4); }
        rect.today { stroke: var(--ink); stroke-width: 1.5; }
        .months { display: grid; grid-template-columns: repeat(auto-fill, minmax(104px, 1fr)); gap: 20px; }
        figure { margin: 0; } figcaption { display: flex; justify-content: space-between; gap: 8px; margin: 0 0 5px; font-size: 12.5px; white-space: nowrap; }
        figcaption span { color: var(--soft); }
        .most { list-style: none; margin: 12px 0 0; padding: 0; display: grid; gap: 9px; }
        .most li { display: grid; grid-template-columns: minmax(0, 14em) 1fr 19em; gap: 16px; align-items: center; }
        .food { overflow-wrap: anywhere; } .amount { color: var(--soft); font-size: 13px; text-align: right; }
        .track { height: 9px; border-radius: 5px; background: var(--none); overflow: hidden; }
        .track i { display: block; height: 100%; border-radius: 5px; background: var(--accent); }
        details { margin: 14px 0 0; } summary { cursor: pointer; color: var(--accent); font-size: 13px; }
        .scroll { max-height: 24em; overflow: auto; margin: 10px 0 0; }
        table { border-collapse: collapse; width: 100%; font-size: 13px; }
        th, td { text-align: right; padding: 4px 10px; border-bottom: 1px solid var(--line); white-space: nowrap; font-weight: 400; }
        th:first-child { text-align: left; padding-left: 0; }
        thead th { position: sticky; top: 0; background: var(--card); color: var(--soft); }
        """

    private static let narrow: Markup = """
        body { padding: 24px 12px; } h1 { font-size: 27px; margin-bottom: 18px; } section { padding: 16px 14px; border-radius: 12px; }
        .tiles { grid-template-columns: 1fr 1fr; } .tiles b { font-size: 25px; }
        svg.wide { display: none; } svg.narrow { display: block; }
        .months { grid-template-columns: repeat(2, 1fr); gap: 18px 22px; }
        .most li { grid-template-columns: minmax(0, 1fr) auto; gap: 3px 10px; } .most .track { grid-column: 1 / -1; grid-row: 2; }
        """

    private static let print: Markup = """
        body { padding: 0; background: none; font-size: 11pt; } section { break-inside: avoid; border: none; padding: 0 0 14pt; background: none; }
        details { display: none; } svg.wide { display: block; } svg.narrow { display: none; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
        .months { grid-template-columns: repeat(6, 1fr); }
        """
}
