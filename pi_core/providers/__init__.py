"""Where answers come from: models, their providers, and the streams behind them.

Pure.
"""
