// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/resources.h"

#include <QDir>

/// The macro must be used outside of namespaces.
static void initialiseWidgetResources()
{
    Q_INIT_RESOURCE(icons);
    Q_INIT_RESOURCE(fonts);
}

namespace cannery::ui {

void initialiseResources()
{
    static const bool kDone = (initialiseWidgetResources(), true);
    Q_UNUSED(kDone);
}

} // namespace cannery::ui
