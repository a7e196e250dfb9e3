import QueryKitSQLite

extension FoodDiarySchema {
    /// Adds constraints to the tables that allow only values a diary can write, so that PRAGMA integrity_check finds damaged numbers; see
    /// ``StoredNumber``.
    ///
    /// Counts in totals may be negative: an upsert also checks the row that it would insert, and this row contains the change of the count.
    ///
    /// Rows that were damaged before are moved to separate tables, and reported when the database is opened. "ALTER TABLE" can't add
    /// constraints, so the tables are created again as described in SQLite's documentation ("Making Other Kinds Of Table Schema Changes").
    static let bounds = SQLiteMigration(
        "food diary: bounds",
        """
        CREATE TABLE ingredients_bounded (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            name_key TEXT NOT NULL UNIQUE,
            aliases TEXT NOT NULL DEFAULT '',
            category TEXT NOT NULL,
            kilocalories INTEGER NOT NULL,
            protein INTEGER NOT NULL,
            carbohydrates INTEGER NOT NULL,
            fat INTEGER NOT NULL,
            fiber INTEGER NOT NULL,
            sugar INTEGER NOT NULL,
            salt INTEGER NOT NULL,
            portions TEXT NOT NULL DEFAULT '',
            usage_count INTEGER NOT NULL DEFAULT 0,
            CHECK (
                id BETWEEN 0 AND 1099511627775 AND usage_count BETWEEN 0 AND 1000000000000
                AND kilocalories BETWEEN 0 AND 1000000000000
                AND protein BETWEEN 0 AND 1000000000000
                AND carbohydrates BETWEEN 0 AND 1000000000000
                AND fat BETWEEN 0 AND 1000000000000
                AND fiber BETWEEN 0 AND 1000000000000
                AND sugar BETWEEN 0 AND 1000000000000
                AND salt BETWEEN 0 AND 1000000000000
            )
        ) STRICT;
        CREATE TABLE ingredients_out_of_bounds (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            name_key TEXT NOT NULL,
            aliases TEXT NOT NULL DEFAULT '',
            category TEXT NOT NULL,
            kilocalories INTEGER NOT NULL,
            protein INTEGER NOT NULL,
            carbohydrates INTEGER NOT NULL,
            fat INTEGER NOT NULL,
            fiber INTEGER NOT NULL,
            sugar INTEGER NOT NULL,
            salt INTEGER NOT NULL,
            portions TEXT NOT NULL DEFAULT '',
            usage_count INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        INSERT INTO ingredients_out_of_bounds SELECT * FROM ingredients WHERE NOT (
                id BETWEEN 0 AND 1099511627775 AND usage_count BETWEEN 0 AND 1000000000000
                AND kilocalories BETWEEN 0 AND 1000000000000
                AND protein BETWEEN 0 AND 1000000000000
                AND carbohydrates BETWEEN 0 AND 1000000000000
                AND fat BETWEEN 0 AND 1000000000000
                AND fiber BETWEEN 0 AND 1000000000000
                AND sugar BETWEEN 0 AND 1000000000000
                AND salt BETWEEN 0 AND 1000000000000
            );
        INSERT INTO ingredients_bounded SELECT * FROM ingredients WHERE id NOT IN (SELECT id FROM ingredients_out_of_bounds);
        INSERT INTO sqlite_sequence (name, seq)
            SELECT 'ingredients_bounded', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'ingredients_bounded');
        UPDATE sqlite_sequence SET seq = max(
            seq, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'ingredients' AND seq < 4611686018427387904), 0)
        ) WHERE name = 'ingredients_bounded';
        DROP TABLE ingredients;
        ALTER TABLE ingredients_bounded RENAME TO ingredients;
        CREATE INDEX ingredients_by_usage ON ingredients (usage_count DESC, id);
        UPDATE entries SET ingredient = NULL WHERE ingredient NOT IN (SELECT id FROM ingredients);

        CREATE TABLE entries_bounded (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            day INTEGER NOT NULL,
            logged_at INTEGER NOT NULL,
            hour INTEGER NOT NULL,
            time_zone TEXT NOT NULL,
            ingredient INTEGER REFERENCES ingredients ON DELETE SET NULL,
            name TEXT NOT NULL,
            grams INTEGER NOT NULL,
            kilocalories INTEGER NOT NULL,
            protein INTEGER NOT NULL,
            carbohydrates INTEGER NOT NULL,
            fat INTEGER NOT NULL,
            fiber INTEGER NOT NULL,
            sugar INTEGER NOT NULL,
            salt INTEGER NOT NULL,
            confidence INTEGER NOT NULL,
            CHECK (
                id BETWEEN 0 AND 4611686018427387903 AND hour BETWEEN 0 AND 23 AND confidence BETWEEN 0 AND 1000
                AND grams BETWEEN 1 AND 1000000000000 AND logged_at BETWEEN -62135596800000 AND 253402300799999
                AND day BETWEEN 10101 AND 99991231 AND day / 100 % 100 BETWEEN 1 AND 12 AND day % 100 BETWEEN 1 AND CASE day / 100 % 100
                WHEN 2 THEN 28 + (day / 10000 % 4 = 0 AND (day / 10000 % 100 <> 0 OR day / 10000 % 400 = 0))
                WHEN 4 THEN 30 WHEN 6 THEN 30 WHEN 9 THEN 30 WHEN 11 THEN 30 ELSE 31 END
                AND kilocalories BETWEEN -1000000000000 AND 1000000000000
                AND protein BETWEEN -1000000000000 AND 1000000000000
                AND carbohydrates BETWEEN -1000000000000 AND 1000000000000
                AND fat BETWEEN -1000000000000 AND 1000000000000
                AND fiber BETWEEN -1000000000000 AND 1000000000000
                AND sugar BETWEEN -1000000000000 AND 1000000000000
                AND salt BETWEEN -1000000000000 AND 1000000000000
            )
        ) STRICT;
        CREATE TABLE entries_out_of_bounds (
            id INTEGER PRIMARY KEY,
            day INTEGER NOT NULL,
            logged_at INTEGER NOT NULL,
            hour INTEGER NOT NULL,
            time_zone TEXT NOT NULL,
            ingredient INTEGER,
            name TEXT NOT NULL,
            grams INTEGER NOT NULL,
            kilocalories INTEGER NOT NULL,
            protein INTEGER NOT NULL,
            carbohydrates INTEGER NOT NULL,
            fat INTEGER NOT NULL,
            fiber INTEGER NOT NULL,
            sugar INTEGER NOT NULL,
            salt INTEGER NOT NULL,
            confidence INTEGER NOT NULL
        ) STRICT;
        INSERT INTO entries_out_of_bounds SELECT * FROM entries WHERE NOT (
                id BETWEEN 0 AND 4611686018427387903 AND hour BETWEEN 0 AND 23 AND confidence BETWEEN 0 AND 1000
                AND grams BETWEEN 1 AND 1000000000000 AND logged_at BETWEEN -62135596800000 AND 253402300799999
                AND day BETWEEN 10101 AND 99991231 AND day / 100 % 100 BETWEEN 1 AND 12 AND day % 100 BETWEEN 1 AND CASE day / 100 % 100
                WHEN 2 THEN 28 + (day / 10000 % 4 = 0 AND (day / 10000 % 100 <> 0 OR day / 10000 % 400 = 0))
                WHEN 4 THEN 30 WHEN 6 THEN 30 WHEN 9 THEN 30 WHEN 11 THEN 30 ELSE 31 END
                AND kilocalories BETWEEN -1000000000000 AND 1000000000000
                AND protein BETWEEN -1000000000000 AND 1000000000000
                AND carbohydrates BETWEEN -1000000000000 AND 1000000000000
                AND fat BETWEEN -1000000000000 AND 1000000000000
                AND fiber BETWEEN -1000000000000 AND 1000000000000
                AND sugar BETWEEN -1000000000000 AND 1000000000000
                AND salt BETWEEN -1000000000000 AND 1000000000000
            );
        INSERT INTO entries_bounded SELECT * FROM entries WHERE id NOT IN (SELECT id FROM entries_out_of_bounds);
        INSERT INTO sqlite_sequence (name, seq)
            SELECT 'entries_bounded', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'entries_bounded');
        UPDATE sqlite_sequence SET seq = max(
            seq, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'entries' AND seq < 4611686018427387904), 0)
        ) WHERE name = 'entries_bounded';
        DROP TABLE entries;
        ALTER TABLE entries_bounded RENAME TO entries;
        CREATE INDEX entries_by_day ON entries (day, logged_at);
        CREATE INDEX entries_by_ingredient ON entries (ingredient) WHERE ingredient IS NOT NULL;

        DROP TABLE daily_totals;
        CREATE TABLE daily_totals (
            day INTEGER PRIMARY KEY,
            entry_count INTEGER NOT NULL,
            kilocalories INTEGER NOT NULL,
            protein INTEGER NOT NULL,
            carbohydrates INTEGER NOT NULL,
            fat INTEGER NOT NULL,
            fiber INTEGER NOT NULL,
            sugar INTEGER NOT NULL,
            salt INTEGER NOT NULL,
            confidence INTEGER NOT NULL,
            CHECK (
                day BETWEEN 10101 AND 99991231 AND day / 100 % 100 BETWEEN 1 AND 12 AND day % 100 BETWEEN 1 AND CASE day / 100 % 100
                WHEN 2 THEN 28 + (day / 10000 % 4 = 0 AND (day / 10000 % 100 <> 0 OR day / 10000 % 400 = 0))
                WHEN 4 THEN 30 WHEN 6 THEN 30 WHEN 9 THEN 30 WHEN 11 THEN 30 ELSE 31 END
                AND entry_count BETWEEN -1000000000000 AND 1000000000000
                AND kilocalories BETWEEN -1000000000000000 AND 1000000000000000
                AND protein BETWEEN -1000000000000000 AND 1000000000000000
                AND carbohydrates BETWEEN -1000000000000000 AND 1000000000000000
                AND fat BETWEEN -1000000000000000 AND 1000000000000000
                AND fiber BETWEEN -1000000000000000 AND 1000000000000000
                AND sugar BETWEEN -1000000000000000 AND 1000000000000000
                AND salt BETWEEN -1000000000000000 AND 1000000000000000
                AND confidence BETWEEN -1000000000000000 AND 1000000000000000
            )
        ) STRICT;
        INSERT INTO daily_totals
            SELECT day, count(*), sum(kilocalories), sum(protein), sum(carbohydrates), sum(fat), sum(fiber), sum(sugar), sum(salt),
                sum(confidence)
            FROM entries GROUP BY day;

        DROP TABLE hourly_counts;
        CREATE TABLE hourly_counts (
            day INTEGER NOT NULL,
            hour INTEGER NOT NULL CHECK (hour BETWEEN 0 AND 23),
            entry_count INTEGER NOT NULL CHECK (entry_count BETWEEN -1000000000000 AND 1000000000000),
            PRIMARY KEY (day, hour),
            CHECK (
                day BETWEEN 10101 AND 99991231 AND day / 100 % 100 BETWEEN 1 AND 12 AND day % 100 BETWEEN 1 AND CASE day / 100 % 100
                WHEN 2 THEN 28 + (day / 10000 % 4 = 0 AND (day / 10000 % 100 <> 0 OR day / 10000 % 400 = 0))
                WHEN 4 THEN 30 WHEN 6 THEN 30 WHEN 9 THEN 30 WHEN 11 THEN 30 ELSE 31 END
            )
        ) STRICT, WITHOUT ROWID;
        INSERT INTO hourly_counts SELECT day, hour, count(*) FROM entries GROUP BY day, hour;
        """
    )

    /// The tables into which this migration has moved rows, by the original table.
    static let outOfBounds = ["entries": "entries_out_of_bounds", "ingredients": "ingredients_out_of_bounds"]
}
