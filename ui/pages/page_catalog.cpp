// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/page_catalog.h"

#include "ui/pages/data_page.h"
#include "ui/pages/export_page.h"
#include "ui/pages/features_page.h"
#include "ui/pages/home_page.h"
#include "ui/pages/model_page.h"
#include "ui/pages/runs_page.h"
#include "ui/pages/train_page.h"

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
};

} // namespace

std::span<const PageRow> pageCatalog()
{
    return kPages;
}

} // namespace cannery::ui
