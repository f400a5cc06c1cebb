// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/empty_state.h"

namespace cannery::ui {

class RecipeCard;
class TrainFields;

/// The Train page while nothing trains: what would be trained, and how to start.
class TrainEmptyState : public EmptyState
{
    Q_OBJECT

public:
    explicit TrainEmptyState(const PageContext& context, QWidget* parent = nullptr);

    void refresh();

private:
    void refreshRecipe();

    PageContext m_context;
    TrainFields* m_fields;
    RecipeCard* m_recipe;
};

} // namespace cannery::ui
