// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/page_catalog.h"

#include "ui/actions/action_registry.h"
#include "ui/pages/data/data_page.h"
#include "ui/pages/export/export_page.h"
#include "ui/pages/features/features_page.h"
#include "ui/pages/guided/guided_page.h"
#include "ui/pages/home/home_page.h"
#include "ui/pages/model/model_page.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/train/train_page.h"

#include <QCoreApplication>

#include <array>

namespace cannery::ui {

namespace {

template <class PageClass>
Page* make(const PageContext& context, QWidget* parent)
{
    return new PageClass(context, parent);
}

constexpr std::array kPages{
    PageRow{"home", QT_TRANSLATE_NOOP("PageCatalog", "Home"), "home", make<HomePage>},
    PageRow{"data", QT_TRANSLATE_NOOP("PageCatalog", "Data"), "table", make<DataPage>},
    PageRow{"features", QT_TRANSLATE_NOOP("PageCatalog", "Features"), "columns",
            make<FeaturesPage>},
    PageRow{"model", QT_TRANSLATE_NOOP("PageCatalog", "Model"), "topology-star-3", make<ModelPage>},
    PageRow{"train", QT_TRANSLATE_NOOP("PageCatalog", "Train"), "player-play", make<TrainPage>},
    PageRow{"runs", QT_TRANSLATE_NOOP("PageCatalog", "Runs"), "chart-line", make<RunsPage>},
    PageRow{"export", QT_TRANSLATE_NOOP("PageCatalog", "Export"), "package-export",
            make<ExportPage>},
    PageRow{"guided", QT_TRANSLATE_NOOP("PageCatalog", "Guided Run"), "wand", make<GuidedPage>,
            QT_TRANSLATE_NOOP("PageCatalog", "New &Guided Run")},
};

} // namespace

std::span<const PageRow> pageCatalog()
{
    return kPages;
}

void addPageActions(ActionRegistry& actions)
{
    int number = 0;
    for (const PageRow& row : pageCatalog()) {
        const QString label = QCoreApplication::translate("PageCatalog", row.label);
        ActionSpec spec{.id = QStringLiteral("action.page_") + QLatin1String(row.id),
                        .text = label,
                        .icon = QLatin1String(row.icon)};
        if (row.menuText != nullptr) {
            spec.text = QCoreApplication::translate("PageCatalog", row.menuText);
            spec.menu = MenuId::File;
            spec.help = QCoreApplication::translate(
                "PageCatalog", "Go from a table to a trained model, one question at a time.");
            spec.group = QStringLiteral("open");
        } else {
            spec.menu = MenuId::View;
            spec.shortcut = QKeySequence(QStringLiteral("Ctrl+%1").arg(++number));
            spec.help = QCoreApplication::translate("PageCatalog", "Go to %1.").arg(label);
            spec.checkable = true;
            spec.group = QStringLiteral("pages");
        }
        actions.add(spec);
    }
}

} // namespace cannery::ui
