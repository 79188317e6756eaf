"""XGBoost, LightGBM and CatBoost programs with GPU parameters, on the CPU.

Run with xgboost 3.2.0, lightgbm 4.7.0, catboost 1.2.10:   python trees.py NAME
"""
import sys
import numpy as np

X, Y = np.random.rand(200, 5), np.random.randint(0, 2, 200)


def hist():
    import xgboost as xgb
    xgb.XGBClassifier(n_estimators=10, tree_method="gpu_hist", predictor="gpu_predictor").fit(X, Y)


def gpu_id():
    import xgboost as xgb
    xgb.train({"tree_method": "hist", "gpu_id": 0, "objective": "binary:logistic"}, xgb.DMatrix(X, Y), 10)


def spelling():
    import xgboost as xgb
    xgb.train({"tree_method": "hist", "device": "cuda:first"}, xgb.DMatrix(X, Y), 10)


def sycl():
    import xgboost as xgb
    xgb.train({"tree_method": "hist", "device": "sycl"}, xgb.DMatrix(X, Y), 10)


def rocm():
    import lightgbm as lgb
    lgb.train({"device_type": "rocm", "objective": "binary"}, lgb.Dataset(X, Y), 10)


def lgb_cuda():
    import lightgbm as lgb
    lgb.train({"device_type": "cuda", "objective": "binary"}, lgb.Dataset(X, Y), 10)


def rsm():
    from catboost import CatBoostClassifier
    CatBoostClassifier(iterations=10, task_type="GPU", rsm=0.5, verbose=False).fit(X, Y)


def evals():
    from catboost import CatBoostClassifier
    CatBoostClassifier(iterations=10, task_type="GPU", verbose=False).fit(X, Y, eval_set=[(X, Y), (X, Y)])


if __name__ == "__main__":
    globals()[sys.argv[1]]()
