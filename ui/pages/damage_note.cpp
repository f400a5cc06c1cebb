// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/damage_note.h"

#include "ui/charts/curves/chart_card.h"
#include "ui/models/curves/series.h"
#include "ui/models/formats.h"
#include "ui/services/runs/series_store.h"

#include <QCoreApplication>
#include <QSet>
#include <QStringList>

#include <algorithm>

namespace cannery::ui {
namespace {

struct DamageNoteWords
{
    Q_DECLARE_TR_FUNCTIONS(DamageNote)
};

} // namespace

QString damageNote(const SeriesStore& store, const QList<Curve>& curves)
{
    QSet<QString> runs;
    QStringList parts;
    for (const Curve& curve : curves) {
        runs.insert(curve.run);
    }
    for (const QString& run : std::as_const(runs)) {
        if (store.problem(run).isEmpty()) {
            continue;
        }
        std::int64_t last = -1;
        QString label;
        for (const Curve& curve : curves) {
            if (curve.run == run && curve.series != nullptr && curve.series->size() > 0) {
                const auto steps = curve.series->steps();
                last = std::max(last, *std::max_element(steps.begin(), steps.end()));
                label = label.isEmpty() ? curve.label : label;
            }
        }
        if (last >= 0) {
            parts << (runs.size() == 1
                          ? DamageNoteWords::tr("damaged after step %1").arg(formatCount(last))
                          : DamageNoteWords::tr("%1 damaged after step %2")
                                .arg(label, formatCount(last)));
        }
    }
    parts.sort();
    return parts.join(QStringLiteral(" · "));
}

} // namespace cannery::ui
